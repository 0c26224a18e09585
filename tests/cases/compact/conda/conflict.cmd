conda create -y -n old python=3.11 numpy=1.19.2
status 1
Written by hand: conda is not in any index of packages that is reached here.
