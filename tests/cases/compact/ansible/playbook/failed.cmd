ansible-playbook broken.yml
status 2
