kubectl get pods
status 1
