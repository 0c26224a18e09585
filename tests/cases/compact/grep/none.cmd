grep -rn NOSUCH web
status 1
