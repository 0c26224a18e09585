find . -name '*.tsx'
status 0
