git commit -m "with a hook"
status 0
