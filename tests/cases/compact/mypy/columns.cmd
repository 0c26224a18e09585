mypy --show-column-numbers --show-error-end pkg
status 1
