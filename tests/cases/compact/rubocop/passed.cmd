rubocop lib/good.rb
status 0
