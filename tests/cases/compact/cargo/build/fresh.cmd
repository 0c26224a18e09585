cargo build
status 0
