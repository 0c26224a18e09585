ls -l docs lib/core broken
status 0
