git commit -m "first: a skeleton"
status 0
