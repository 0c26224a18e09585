tree -h lib docs
status 0
