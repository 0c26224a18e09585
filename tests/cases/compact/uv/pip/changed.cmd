uv pip install requests==2.31.0 'urllib3<2'
status 0
