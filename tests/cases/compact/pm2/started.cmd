pm2 start server.js --name mailer
status 0
