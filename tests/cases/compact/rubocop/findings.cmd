rubocop lib
status 1
