find src nosuch -name "*.c"
status 1
