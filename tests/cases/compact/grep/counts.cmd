grep -rc TODO web
status 0
