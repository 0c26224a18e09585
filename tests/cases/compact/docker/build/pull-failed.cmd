docker buildx build --load -f Dockerfile.pull .
status 1
