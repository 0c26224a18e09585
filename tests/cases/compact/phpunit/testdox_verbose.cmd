phpunit --testdox --verbose bank/tests
status 2
