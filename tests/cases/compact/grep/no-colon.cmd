grep -h TODO -r web/src/hooks
status 0
