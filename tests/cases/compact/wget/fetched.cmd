wget http://127.0.0.1:5701/all.tar.gz -O x.tgz
status 0
