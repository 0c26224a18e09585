terraform init
status 0
