nox -s good
status 0
