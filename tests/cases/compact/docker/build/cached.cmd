docker buildx build -t shop:1 --load .
status 0
