git submodule add ../lib lib
status 0
