npm install nosuch-package-of-laconic-tests
status 1
