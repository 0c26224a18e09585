mvn package
status 0
