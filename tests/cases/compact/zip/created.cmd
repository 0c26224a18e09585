zip -r all.zip a c
status 0
