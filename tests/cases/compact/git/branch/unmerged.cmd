git branch -d feature/one
status 0
