uv pip install requests==99
status 1
