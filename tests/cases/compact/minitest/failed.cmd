rake test
status 1
