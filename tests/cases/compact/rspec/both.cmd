rspec good spec
status 1
