tree -I 'thing_*'
status 0
