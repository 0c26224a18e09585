rg '(' web
status 2
