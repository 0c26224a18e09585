bun test tests
status 1
