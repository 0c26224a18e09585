phpunit
status 2
