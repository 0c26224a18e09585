gradle build
status 1
