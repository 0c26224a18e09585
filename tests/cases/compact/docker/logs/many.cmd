docker logs web
status 0
