cargo bench
status 101
