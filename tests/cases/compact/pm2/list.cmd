pm2 list
status 0
