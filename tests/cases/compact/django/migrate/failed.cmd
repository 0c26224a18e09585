python manage.py migrate
status 1
