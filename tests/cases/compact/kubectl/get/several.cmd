kubectl get deploy,svc
status 0
