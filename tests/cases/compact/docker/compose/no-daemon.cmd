docker compose up -d
status 125
