git submodule update --init
status 0
