alembic upgrade nosuch
status 255
