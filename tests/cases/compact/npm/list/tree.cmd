npm ls --all
status 0
