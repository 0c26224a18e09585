git status -uall
status 0
