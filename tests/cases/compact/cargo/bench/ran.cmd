cargo bench
status 0
