cargo run -- x
status 101
