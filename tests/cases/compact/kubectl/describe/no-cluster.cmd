kubectl describe pod web
status 1
