cargo test --offline
status 0
