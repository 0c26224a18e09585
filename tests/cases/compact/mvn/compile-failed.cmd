mvn -B compile
status 1
