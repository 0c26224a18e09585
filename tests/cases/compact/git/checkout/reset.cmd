git reset --hard HEAD
status 0
