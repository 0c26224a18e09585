git show --name-only HEAD~2^2
status 0
