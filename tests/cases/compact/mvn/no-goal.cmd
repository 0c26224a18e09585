mvn -B nosuch
status 1
