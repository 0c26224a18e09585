uv sync
status 0
