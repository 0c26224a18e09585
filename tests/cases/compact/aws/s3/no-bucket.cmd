aws s3 cp up/photo1.jpg s3://nosuch-bucket/x
status 1
