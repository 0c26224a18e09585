cargo build --features app/broken
status 101
