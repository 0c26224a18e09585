git diff nosuch
status 128
