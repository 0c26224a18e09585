composer require monolog/monolog:^1
status 2
not recorded: the packages of PHP cannot be had here
