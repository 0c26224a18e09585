yamllint bad.yaml
status 1
