python manage.py test
status 1
