terraform plan -no-color -detailed-exitcode
status 2
