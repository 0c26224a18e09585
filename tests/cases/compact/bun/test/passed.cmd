bun test ./good/
status 0
