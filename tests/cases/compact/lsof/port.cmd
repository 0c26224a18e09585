lsof -nP -iTCP -sTCP:LISTEN
status 0
