git pull --rebase --progress
status 0
