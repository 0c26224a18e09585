kubectl logs web-6d9f
status 0
not recorded: there is no cluster to ask
