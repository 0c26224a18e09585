uv pip install pytest==8.3.4 flask==3.0.3 requests==2.32.3 rich==13.9.4
status 0
