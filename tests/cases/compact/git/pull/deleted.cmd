git pull --no-rebase --progress
status 0
