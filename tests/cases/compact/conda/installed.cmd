conda create -y -n shop numpy
status 0
Written by hand: conda is not in any index of packages that is reached here.
