cargo test
status 0
