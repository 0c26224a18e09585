node --test nt2/
status 1
