phpunit tests2
status 0
