rspec
status 1
