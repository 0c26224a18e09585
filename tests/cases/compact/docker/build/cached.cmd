docker buildx build --progress=plain -t shop .
status 0
