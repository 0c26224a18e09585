alembic history
status 0
