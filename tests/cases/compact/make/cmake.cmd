make -C build core
status 0
