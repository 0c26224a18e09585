cargo install --path fine
status 0
