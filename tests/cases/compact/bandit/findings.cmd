bandit -r shop
status 1
