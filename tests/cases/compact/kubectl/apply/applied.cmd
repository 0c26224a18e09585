kubectl apply -f k8s/
status 0
not recorded: there is no cluster to ask
