tree -p web/src/components
status 0
