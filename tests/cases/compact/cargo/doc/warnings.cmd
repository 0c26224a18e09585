cargo doc
status 0
