cargo clippy
status 101
