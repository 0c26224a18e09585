kubectl get pods -n empty
status 0
