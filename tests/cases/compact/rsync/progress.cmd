rsync -av --progress a out3/
status 0
