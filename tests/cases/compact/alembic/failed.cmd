alembic upgrade head
status 1
