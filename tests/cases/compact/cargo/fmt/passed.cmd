cargo fmt --check
status 0
