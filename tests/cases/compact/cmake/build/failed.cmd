cmake --build bad
status 2
