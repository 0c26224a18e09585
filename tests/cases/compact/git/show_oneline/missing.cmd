git show --oneline nosuch
status 128
