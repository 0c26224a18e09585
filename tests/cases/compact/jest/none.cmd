npx jest nosuchpattern
status 1
