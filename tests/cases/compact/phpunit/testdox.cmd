phpunit --testdox tests
status 2
