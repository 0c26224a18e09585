cargo add anyhow
status 0
