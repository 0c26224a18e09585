aws s3 ls s3://nosuch-bucket/
status 255
