actionlint good.yml
status 0
