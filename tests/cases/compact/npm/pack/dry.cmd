npm pack --dry-run
status 0
