cargo test --offline
status 101
