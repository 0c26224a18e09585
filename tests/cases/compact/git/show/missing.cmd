git show nosuch
status 128
