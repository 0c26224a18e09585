docker container ls -a --no-trunc
status 0
