grep TODO src
status 2
