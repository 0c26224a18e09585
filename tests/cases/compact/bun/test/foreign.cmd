bun test ./deep/
status 1
