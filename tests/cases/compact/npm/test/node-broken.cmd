node --test z/nts/
status 1
