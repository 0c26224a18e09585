pipenv install requests==99.1
status 1
