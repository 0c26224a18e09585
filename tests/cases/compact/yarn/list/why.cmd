yarn why debug
status 0
