twine check dist/*
status 0
