git pull --no-rebase
status 1
