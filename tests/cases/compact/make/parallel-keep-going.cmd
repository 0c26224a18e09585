make -j4 -k
status 2
