gh run view 77 --log-failed
status 0
not recorded: there is no account to log in with
