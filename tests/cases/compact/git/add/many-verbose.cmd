git add -v docs
status 0
