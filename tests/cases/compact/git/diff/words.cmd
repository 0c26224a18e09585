git diff --word-diff=plain
status 0
