git merge nosuch
status 1
