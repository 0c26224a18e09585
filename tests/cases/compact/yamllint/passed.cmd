yamllint good.yaml
status 0
