./configure --nosuch
status 1
