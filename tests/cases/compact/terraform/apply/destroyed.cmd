terraform destroy -auto-approve
status 0
