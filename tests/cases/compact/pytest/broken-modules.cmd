pytest broken tests
status 2
