git commit -m "nothing"
status 1
