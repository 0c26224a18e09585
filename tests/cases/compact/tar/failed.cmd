tar xvf cut.tar.gz -C out
status 2
