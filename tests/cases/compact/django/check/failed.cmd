python manage.py check
status 1
