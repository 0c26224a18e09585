mvn dependency:tree -Dincludes=org.junit.jupiter
status 0
