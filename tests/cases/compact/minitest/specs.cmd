rake test TEST=bank/test/account_test.rb
status 1
