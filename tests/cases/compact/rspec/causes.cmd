rspec --order rand:4242 store/spec
status 1
