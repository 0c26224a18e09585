flake8 bank tests
status 1
