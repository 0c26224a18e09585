prove -l bad
status 1
