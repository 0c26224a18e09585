cargo fmt --check
status 1
