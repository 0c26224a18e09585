tree -J web/src/components
status 0
