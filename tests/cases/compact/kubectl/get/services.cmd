kubectl get svc
status 0
