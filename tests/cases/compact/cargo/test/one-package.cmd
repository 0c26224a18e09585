cargo test --offline -p cli
status 0
