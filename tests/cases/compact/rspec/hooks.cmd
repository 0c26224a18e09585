rspec hooks
status 1
