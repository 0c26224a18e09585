terraform plan
status 1
