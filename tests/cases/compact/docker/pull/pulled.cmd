docker pull postgres:16
status 0
not recorded: the daemon has no network
