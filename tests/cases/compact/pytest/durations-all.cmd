pytest --durations=0 -vv slow
status 0
