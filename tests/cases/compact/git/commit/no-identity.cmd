git commit --allow-empty -m x
status 128
