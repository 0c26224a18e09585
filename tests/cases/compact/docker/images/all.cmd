docker image ls -a
status 0
