cmake -S . -B b
status 0
