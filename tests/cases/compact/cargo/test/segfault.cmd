cargo test --offline --test three
status 101
