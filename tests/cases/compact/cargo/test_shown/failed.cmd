cargo test --lib -- --nocapture
status 101
