docker buildx build --load -f Dockerfile.fail .
status 1
