pyright good
status 0
