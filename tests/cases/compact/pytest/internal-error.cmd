pytest broken
status 3
