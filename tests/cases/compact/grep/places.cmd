grep -rn 'from library' big lib
status 0
