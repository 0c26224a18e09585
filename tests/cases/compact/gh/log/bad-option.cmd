gh run view 77 --log --nosuch
status 1
