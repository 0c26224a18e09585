git commit -m "docs: sixty pages"
status 0
