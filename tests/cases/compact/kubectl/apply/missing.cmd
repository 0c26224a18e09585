kubectl apply -f nosuch.yaml
status 1
