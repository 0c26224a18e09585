du -ah --max-depth=2 --exclude=.git .
status 0
