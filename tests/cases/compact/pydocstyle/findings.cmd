pydocstyle shop
status 1
