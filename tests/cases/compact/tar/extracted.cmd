tar xvf all.tar.gz -C out
status 0
