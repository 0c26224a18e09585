pip install --upgrade idna==3.4
status 0
