pipenv sync
status 0
