kubectl get pods --context nosuch
status 1
