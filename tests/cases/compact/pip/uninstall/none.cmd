pip uninstall -y nosuch-package
status 0
