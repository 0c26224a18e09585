bandit -r shop -lll
status 1
