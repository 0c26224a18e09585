docker buildx build --progress=plain --load --no-cache --target build .
status 0
