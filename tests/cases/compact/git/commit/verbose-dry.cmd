git commit --dry-run
status 1
