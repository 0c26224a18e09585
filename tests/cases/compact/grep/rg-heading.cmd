rg --heading -n TODO web/src/components
status 0
