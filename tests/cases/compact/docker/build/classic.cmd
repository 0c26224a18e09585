docker build -t shop .
status 0
