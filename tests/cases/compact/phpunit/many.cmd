phpunit tests
status 2
