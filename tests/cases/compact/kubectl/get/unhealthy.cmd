kubectl get pods
status 0
