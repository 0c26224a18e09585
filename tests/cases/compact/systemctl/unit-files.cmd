systemctl list-unit-files --no-pager
status 0
