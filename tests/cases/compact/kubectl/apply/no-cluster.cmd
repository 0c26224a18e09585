kubectl apply -f chart/templates/web.yaml
status 1
