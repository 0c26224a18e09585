rake test TESTOPTS=--verbose
status 1
