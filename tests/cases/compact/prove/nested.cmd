prove -Ibank/lib bank/t
status 1
