git pull --no-rebase --no-edit
status 0
