git merge clean
status 0
