python manage.py migrate
status 0
