cargo check
status 101
