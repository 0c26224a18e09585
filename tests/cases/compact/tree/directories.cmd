tree -d web
status 0
