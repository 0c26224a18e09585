pytest --durations=5 -q -k 'monthly or simple'
status 0
