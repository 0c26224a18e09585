docker build --network=none .
status 1
