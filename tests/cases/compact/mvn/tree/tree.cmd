mvn -B dependency:tree
status 0
