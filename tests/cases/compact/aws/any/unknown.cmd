aws ec2 describe-instances --instance-ids i-00000000000000000
status 255
