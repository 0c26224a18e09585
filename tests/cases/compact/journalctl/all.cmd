journalctl --no-pager
status 0
