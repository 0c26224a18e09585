psql -U postgres -f inserts.sql
status 0
