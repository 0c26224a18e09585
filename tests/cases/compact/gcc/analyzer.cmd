gcc -fanalyzer -Wall -c an.c
status 0
