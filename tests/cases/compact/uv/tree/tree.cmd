uv tree
status 0
