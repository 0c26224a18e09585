cp -rv a c out4/
status 0
