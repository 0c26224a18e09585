./configure
status 0
