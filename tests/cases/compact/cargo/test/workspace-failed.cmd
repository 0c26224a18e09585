cargo test --offline --workspace --no-fail-fast
status 101
