tar tvf all.tar.gz
status 0
