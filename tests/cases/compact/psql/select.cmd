psql -U postgres -c 'select * from users'
status 0
