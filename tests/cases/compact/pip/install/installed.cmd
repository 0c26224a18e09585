pip install -r requirements.txt
status 0
