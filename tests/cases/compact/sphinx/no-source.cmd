sphinx-build nosuch out4
status 2
