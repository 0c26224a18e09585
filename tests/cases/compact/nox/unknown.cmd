nox -s nosuch
status 3
