twine check nosuch/*
status 1
