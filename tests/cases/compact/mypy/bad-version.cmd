mypy --python-version 2.7 pkg
status 2
