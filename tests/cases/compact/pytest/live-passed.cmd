pytest --log-cli-level=DEBUG -k put
status 0
