terraform plan -no-color
status 1
