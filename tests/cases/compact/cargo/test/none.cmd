cargo test --offline nosuchname
status 0
