npm install
status 1
