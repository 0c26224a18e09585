cargo nextest run adds
status 0
