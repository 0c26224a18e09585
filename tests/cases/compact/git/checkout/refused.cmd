git checkout feature
status 1
