cargo install --path broken
status 101
