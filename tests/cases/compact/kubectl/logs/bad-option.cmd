kubectl logs web --nosuch
status 1
