cargo test --offline --workspace
status 0
