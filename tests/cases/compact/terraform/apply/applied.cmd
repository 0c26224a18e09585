terraform apply -auto-approve
status 0
