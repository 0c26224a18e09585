psql -h 127.0.0.1 -p 9 -c 'select 1'
status 2
