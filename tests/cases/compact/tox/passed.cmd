tox -e good
status 0
