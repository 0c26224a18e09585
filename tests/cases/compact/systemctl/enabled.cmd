systemctl list-unit-files --state=enabled --no-pager
status 0
