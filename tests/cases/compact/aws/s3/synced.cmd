aws s3 sync up s3://shop-media/photos
status 0
