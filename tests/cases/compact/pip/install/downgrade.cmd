pip install 'idna==3.3'
status 0
