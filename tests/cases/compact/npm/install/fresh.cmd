npm install
status 0
