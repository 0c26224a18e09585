grep -rn -A2 -B1 "raise Value" src/app/models
status 0
