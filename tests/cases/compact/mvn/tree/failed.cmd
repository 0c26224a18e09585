mvn -B -f bad.xml dependency:tree
status 1
