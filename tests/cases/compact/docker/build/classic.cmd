docker build --network=none -t shop .
status 0
