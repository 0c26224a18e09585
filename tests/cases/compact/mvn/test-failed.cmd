mvn -B test
status 1
