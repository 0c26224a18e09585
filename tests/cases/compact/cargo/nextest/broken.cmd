cargo nextest run
status 101
