poetry install
status 1
