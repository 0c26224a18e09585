terraform plan -no-color -input=false -var-file=nosuch.tfvars
status 1
