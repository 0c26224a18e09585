make -C src
status 2
