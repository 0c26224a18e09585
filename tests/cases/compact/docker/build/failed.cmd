docker build -t shop .
status 1
