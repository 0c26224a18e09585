kubectl describe pod web --nosuch
status 1
