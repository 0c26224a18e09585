git clone . copy
status 128
