rspec bank/spec
status 1
