bun test nosuch
status 1
