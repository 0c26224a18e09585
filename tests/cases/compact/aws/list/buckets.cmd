aws s3 ls
status 0
