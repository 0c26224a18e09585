docker buildx build --load -f Dockerfile.copy .
status 1
