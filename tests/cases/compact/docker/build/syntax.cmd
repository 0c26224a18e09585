docker buildx build --load -f Dockerfile.syntax .
status 1
