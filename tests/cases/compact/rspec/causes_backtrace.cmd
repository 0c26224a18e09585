rspec -fd -b --order rand:4242 store/spec
status 1
