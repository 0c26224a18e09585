terraform -chdir=needs init
status 1
