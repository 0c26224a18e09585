docker buildx build --load -f nosuch .
status 1
