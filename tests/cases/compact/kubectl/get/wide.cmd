kubectl get pods -o wide
status 0
