apt-get install -y nosuch-package
status 100
