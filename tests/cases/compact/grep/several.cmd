grep -rn --include=*.py 'raise ' . /nosuch
status 2
