terraform apply -auto-approve -var size=5
status 0
