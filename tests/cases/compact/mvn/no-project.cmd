mvn -B -f nosuch.xml test
status 1
