python manage.py migrate --noinput
status 0
