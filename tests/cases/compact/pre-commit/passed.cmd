pre-commit run compile --all-files
status 0
