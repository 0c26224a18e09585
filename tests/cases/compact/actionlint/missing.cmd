actionlint nosuch.yml
status 3
