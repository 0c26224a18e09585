mypy --pretty pkg
status 1
