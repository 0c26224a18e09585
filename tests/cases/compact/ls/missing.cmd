ls -l READ.md nosuch
status 2
