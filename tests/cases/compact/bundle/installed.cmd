bundle install
status 0
