kubectl logs web
status 1
