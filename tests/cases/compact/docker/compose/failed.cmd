docker-compose -f bad/docker-compose.yml up -d
status 1
