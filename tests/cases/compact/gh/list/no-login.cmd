gh pr list
status 4
