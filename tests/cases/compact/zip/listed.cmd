unzip -l all.zip
status 0
