aws s3 cp up/photo1.jpg s3://shop-media/one.jpg
status 0
