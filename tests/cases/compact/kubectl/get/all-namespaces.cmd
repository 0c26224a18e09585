kubectl get pods -A
status 0
