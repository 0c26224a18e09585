cargo test --offline --test three
status 124
