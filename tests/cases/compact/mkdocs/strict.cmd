mkdocs build --strict
status 1
