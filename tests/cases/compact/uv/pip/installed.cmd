uv pip install flask==3.0.3 requests==2.32.3
status 0
