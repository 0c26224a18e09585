grep -rn '[' web
status 2
