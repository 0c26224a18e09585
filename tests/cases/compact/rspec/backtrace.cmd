rspec -b spec/ledger_spec.rb
status 1
