gradle build
status 0
