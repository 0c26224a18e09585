mypy --config-file nosuch.ini pkg
status 2
