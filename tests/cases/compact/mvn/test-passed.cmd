mvn -B test -Dtest=GoodTest
status 0
