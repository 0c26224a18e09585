find . -nmae x
status 1
