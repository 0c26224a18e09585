cargo test --lib add -- --nocapture --test-threads=1
status 0
