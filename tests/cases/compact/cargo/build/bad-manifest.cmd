cargo build --offline
status 101
