git diff -U200
status 0
