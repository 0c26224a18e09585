cmake --build b
status 0
