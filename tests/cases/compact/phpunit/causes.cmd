phpunit bank/tests
status 2
