git log --graph --oneline --all
status 0
