npx markdownlint docs/good.md
status 0
