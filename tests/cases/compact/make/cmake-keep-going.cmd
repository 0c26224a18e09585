make -C mb -k
status 2
