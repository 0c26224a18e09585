rsync -av a nosuch out3/
status 23
