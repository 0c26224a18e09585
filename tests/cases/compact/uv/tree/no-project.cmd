uv tree --project /nonexistent
status 2
