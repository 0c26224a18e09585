tar czvf all.tar.gz a c
status 0
