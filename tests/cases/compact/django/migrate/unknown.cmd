python manage.py migrate nosuch
status 1
