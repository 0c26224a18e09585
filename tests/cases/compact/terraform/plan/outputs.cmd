terraform plan -no-color
status 0
