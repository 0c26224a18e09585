mkdocs build -f mkdocs-good.yml
status 0
