docker buildx build --load -f Dockerfile.long .
status 1
