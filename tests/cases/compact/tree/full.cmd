tree -f web/src/components
status 0
