git show HEAD:notes.txt
status 0
