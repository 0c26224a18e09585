bundle install
status 17
