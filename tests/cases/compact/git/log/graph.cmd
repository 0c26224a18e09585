git log --graph --oneline -8
status 0
