docker buildx build --load --no-cache .
status 0
