pipenv install requests==2.32.3
status 0
