git show --oneline main~2
status 0
