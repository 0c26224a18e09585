pip install -e ./good
status 0
