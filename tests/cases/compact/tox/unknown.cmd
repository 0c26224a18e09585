tox -e nosuch
status 254
