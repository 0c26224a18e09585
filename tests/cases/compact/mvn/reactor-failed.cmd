mvn -B clean install
status 1
