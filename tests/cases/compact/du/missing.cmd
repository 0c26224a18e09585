du -sh a nosuch
status 1
