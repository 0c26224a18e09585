terraform -chdir=fails apply -auto-approve
status 1
