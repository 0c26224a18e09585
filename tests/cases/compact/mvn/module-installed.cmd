mvn -B -pl core clean install
status 0
