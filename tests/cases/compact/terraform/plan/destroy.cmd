terraform plan -destroy -no-color
status 0
