ls -l web/src
status 0
