docker build --network=none -t shop:1 .
status 1
