kubectl apply -f web.yaml
status 1
