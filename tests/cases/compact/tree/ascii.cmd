tree --charset ascii web/src
status 0
