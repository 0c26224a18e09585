yamllint y good.yaml
status 1
