cargo build
status 101
