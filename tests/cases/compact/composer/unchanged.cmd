composer install
status 0
not recorded: the packages of PHP cannot be had here
