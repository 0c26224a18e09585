docker-compose up -d
status 0
