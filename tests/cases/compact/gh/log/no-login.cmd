gh run view 77 --log
status 4
