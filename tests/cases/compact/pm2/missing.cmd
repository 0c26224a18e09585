pm2 restart nosuch
status 1
