docker-compose down
status 0
