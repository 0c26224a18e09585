cargo run
status 101
