rspec nosuch
status 1
