tox
status 1
