grep -rl TODO web
status 0
