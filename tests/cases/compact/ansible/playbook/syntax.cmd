ansible-playbook syntax.yml
status 4
