terraform -chdir=nosuch validate
status 1
