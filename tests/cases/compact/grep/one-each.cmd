grep -rn TODO .
status 0
