cargo test --offline --doc
status 101
