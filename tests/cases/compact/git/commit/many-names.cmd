git commit -m 'all of it'
status 0
