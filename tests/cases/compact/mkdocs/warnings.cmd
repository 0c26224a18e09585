mkdocs build
status 0
