bun install
status 0
