terraform plan -no-color -var size=large
status 0
