phpunit fatal
status 255
