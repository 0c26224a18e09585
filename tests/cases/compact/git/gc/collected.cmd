git gc
status 0
