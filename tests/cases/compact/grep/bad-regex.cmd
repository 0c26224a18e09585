grep -rn '[' src
status 2
