git push
status 128
