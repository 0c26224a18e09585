rspec good
status 0
