terraform -chdir=bad validate
status 1
