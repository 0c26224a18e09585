make -C build
status 2
