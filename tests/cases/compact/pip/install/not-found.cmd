pip install nosuch-package-laconic==9
status 1
