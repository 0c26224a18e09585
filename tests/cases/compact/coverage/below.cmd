coverage report -m --fail-under 99
status 2
