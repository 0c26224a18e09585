git push
status 1
