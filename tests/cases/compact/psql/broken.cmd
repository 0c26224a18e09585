psql -v ON_ERROR_STOP=1 -U postgres -f broken.sql
status 3
