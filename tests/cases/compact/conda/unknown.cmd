conda install -y nosuchpackage
status 1
Written by hand: conda is not in any index of packages that is reached here.
