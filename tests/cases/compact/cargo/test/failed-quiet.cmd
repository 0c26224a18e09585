cargo test --offline -q
status 101
