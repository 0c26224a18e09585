phpunit dep
status 2
