git checkout feature
status 0
