git checkout v1.0
status 0
