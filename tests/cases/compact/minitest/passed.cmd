rake test TEST=test_ok/good_test.rb TESTOPTS=--verbose
status 0
