aws ec2 nosuch-operation
status 2
