cp -rv a nosuch out3/
status 1
