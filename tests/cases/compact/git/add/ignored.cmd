git add a.pyc README.md
status 1
