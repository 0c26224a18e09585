grep -rn needle .
status 0
