flake8 good
status 0
