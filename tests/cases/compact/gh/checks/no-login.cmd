gh pr checks 12
status 4
