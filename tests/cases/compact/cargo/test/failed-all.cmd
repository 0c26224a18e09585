cargo test --offline --no-fail-fast
status 101
