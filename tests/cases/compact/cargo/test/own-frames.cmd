RUST_BACKTRACE=1 cargo test --lib
status 101
