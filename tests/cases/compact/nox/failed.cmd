nox
status 1
