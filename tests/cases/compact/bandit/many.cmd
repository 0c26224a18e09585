bandit -r shop tests
status 1
