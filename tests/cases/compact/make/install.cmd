make lib install
status 0
