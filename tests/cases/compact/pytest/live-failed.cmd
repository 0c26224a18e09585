pytest -s --log-cli-level=INFO
status 1
