pytest -sv --log-level=DEBUG
status 1
