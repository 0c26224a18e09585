git push
status 0
