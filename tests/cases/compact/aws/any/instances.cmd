aws ec2 describe-instances
status 0
