docker logs web
status 1
