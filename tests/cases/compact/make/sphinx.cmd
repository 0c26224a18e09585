make html
status 0
