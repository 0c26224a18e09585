grep -rc TODO src
status 0
