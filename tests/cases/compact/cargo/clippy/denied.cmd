cargo clippy --all-targets -- -D warnings
status 101
