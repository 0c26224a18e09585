git commit -m "double what is returned" -m "The callers expect it."
status 0
