javac -Xlint:all -d out Raw.java
status 0
