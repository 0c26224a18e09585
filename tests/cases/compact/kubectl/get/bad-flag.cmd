kubectl get pods --nosuch
status 1
