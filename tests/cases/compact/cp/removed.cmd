rm -rv out4
status 0
