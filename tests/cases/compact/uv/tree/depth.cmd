uv tree --depth 1
status 0
