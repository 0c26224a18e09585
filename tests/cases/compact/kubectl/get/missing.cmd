kubectl get pod nosuch
status 1
