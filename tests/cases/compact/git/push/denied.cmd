git push file:///tmp/lf/g/nowhere.git main
status 128
