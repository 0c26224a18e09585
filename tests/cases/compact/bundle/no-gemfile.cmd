bundle install
status 4
