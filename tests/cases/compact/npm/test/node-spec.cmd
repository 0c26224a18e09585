node --test --test-reporter spec nt2/
status 1
