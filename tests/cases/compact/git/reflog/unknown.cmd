git reflog nosuch
status 128
