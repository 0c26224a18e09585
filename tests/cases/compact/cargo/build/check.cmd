cargo check
status 0
