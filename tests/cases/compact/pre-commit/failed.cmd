pre-commit run --all-files
status 1
