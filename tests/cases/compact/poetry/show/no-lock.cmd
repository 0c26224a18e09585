poetry show
status 1
