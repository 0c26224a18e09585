docker-compose logs web
status 0
