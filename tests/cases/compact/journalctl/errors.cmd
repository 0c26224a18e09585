journalctl -p err --no-pager
status 0
