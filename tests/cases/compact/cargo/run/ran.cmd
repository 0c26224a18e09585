cargo run
status 0
