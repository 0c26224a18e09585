cargo clippy --offline --workspace
status 0
