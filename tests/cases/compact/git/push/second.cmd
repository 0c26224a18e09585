git push --progress
status 0
