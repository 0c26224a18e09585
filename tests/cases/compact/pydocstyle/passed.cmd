pydocstyle good
status 0
