rspec -f d
status 1
