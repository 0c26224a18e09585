rubocop nosuch.rb
status 2
