rspec -fd good/many_spec.rb
status 0
