gh pr checks 12
status 1
not recorded: there is no account to log in with
