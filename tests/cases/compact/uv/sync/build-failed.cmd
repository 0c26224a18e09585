uv pip install ./unbuilt
status 1
