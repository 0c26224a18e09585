python manage.py test nosuch
status 1
