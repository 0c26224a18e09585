poetry show nosuch
status 1
