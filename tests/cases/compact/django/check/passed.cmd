python manage.py check
status 0
