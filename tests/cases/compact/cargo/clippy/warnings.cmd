cargo clippy
status 0
