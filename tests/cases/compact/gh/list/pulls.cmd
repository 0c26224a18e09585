gh pr list --limit 10
status 0
not recorded: there is no account to log in with
