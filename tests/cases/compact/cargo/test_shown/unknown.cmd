cargo test --test nosuch -- --nocapture
status 101
