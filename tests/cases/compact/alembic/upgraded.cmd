alembic upgrade r013
status 0
