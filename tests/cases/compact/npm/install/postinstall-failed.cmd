npm install
status 3
