git fetch upstream
status 0
