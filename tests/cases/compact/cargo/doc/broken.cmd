cargo doc
status 101
