kubectl get nosuchtype
status 1
