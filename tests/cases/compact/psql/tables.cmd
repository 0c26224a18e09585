psql -U postgres -c '\d orders'
status 0
