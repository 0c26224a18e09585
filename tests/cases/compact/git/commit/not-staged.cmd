git commit -m "x"
status 1
