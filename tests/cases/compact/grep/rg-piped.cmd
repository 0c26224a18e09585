rg -n TODO web
status 0
