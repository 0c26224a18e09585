javac -d out Nosuch.java
status 2
