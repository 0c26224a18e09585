RUST_BACKTRACE=1 cargo run -- x
status 101
