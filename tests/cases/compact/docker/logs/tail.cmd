docker logs --tail 3 web
status 0
