cargo test --offline -q
status 0
