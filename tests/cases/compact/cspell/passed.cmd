npx cspell docs/good.md
status 0
