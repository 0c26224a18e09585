phpunit once
status 2
