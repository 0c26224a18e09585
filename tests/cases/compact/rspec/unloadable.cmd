rspec broken
status 1
