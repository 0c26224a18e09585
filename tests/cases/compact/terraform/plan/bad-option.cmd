terraform plan -nosuch
status 1
