make sub
status 2
