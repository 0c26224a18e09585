bandit -r quiet
status 1
