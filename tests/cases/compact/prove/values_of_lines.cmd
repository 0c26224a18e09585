prove store/t
status 1
