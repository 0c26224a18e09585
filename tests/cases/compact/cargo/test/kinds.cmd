cargo test
status 101
