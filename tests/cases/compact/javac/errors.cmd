javac -d out Broken.java
status 1
