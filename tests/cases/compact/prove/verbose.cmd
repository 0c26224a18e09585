prove -lv t
status 1
