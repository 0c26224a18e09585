unzip cut.zip
status 9
