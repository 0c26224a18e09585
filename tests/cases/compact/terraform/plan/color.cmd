terraform plan
status 0
