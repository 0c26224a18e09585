cargo build -v
status 0
