tree web/src/components
status 0
