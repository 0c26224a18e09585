cargo nextest run
status 100
