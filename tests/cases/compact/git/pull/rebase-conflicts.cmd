git pull --rebase
status 1
