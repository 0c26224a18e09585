grep -rn TODO web
status 0
