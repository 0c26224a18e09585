python manage.py check --deploy
status 0
