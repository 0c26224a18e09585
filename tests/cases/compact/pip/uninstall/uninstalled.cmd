pip uninstall -y flask requests nosuch-package
status 0
