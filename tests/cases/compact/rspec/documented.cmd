rspec --format documentation good spec
status 1
