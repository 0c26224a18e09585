mvn -B package
status 0
