prove -lv ok
status 0
