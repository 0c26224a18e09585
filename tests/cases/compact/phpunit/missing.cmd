phpunit nosuch
status 1
