cargo doc --no-deps
status 0
