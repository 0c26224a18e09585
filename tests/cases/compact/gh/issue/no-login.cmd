gh issue list
status 4
