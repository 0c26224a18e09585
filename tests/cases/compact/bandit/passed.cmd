bandit -r good
status 0
