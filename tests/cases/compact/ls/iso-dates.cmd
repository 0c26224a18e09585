ls -l docs
status 0
