find . -not -path './web/*'
status 0
