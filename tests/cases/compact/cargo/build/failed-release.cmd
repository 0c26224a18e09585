cargo b --release
status 101
