./configure CC=nosuchcc
status 77
