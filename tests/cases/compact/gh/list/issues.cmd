gh issue list --state all
status 0
not recorded: there is no account to log in with
