phpunit --no-configuration deep
status 2
