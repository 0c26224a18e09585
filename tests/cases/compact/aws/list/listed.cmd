aws s3 ls s3://shop-media/photos/
status 0
