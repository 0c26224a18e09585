rg -c --sort path import ./lib ./tests ./docs ./big
status 0
