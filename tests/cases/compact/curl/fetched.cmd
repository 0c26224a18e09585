curl -o x.tgz http://127.0.0.1:5701/all.tar.gz
status 0
