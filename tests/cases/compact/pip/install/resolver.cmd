pip install 'requests==2.31.0' 'urllib3==1.20'
status 1
