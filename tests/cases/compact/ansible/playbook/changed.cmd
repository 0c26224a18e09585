ansible-playbook play.yml
status 0
