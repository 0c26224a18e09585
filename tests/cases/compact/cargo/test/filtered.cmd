cargo test --offline adds_1_
status 0
