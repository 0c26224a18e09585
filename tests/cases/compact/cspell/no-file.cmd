npx cspell 'nosuch/*.md'
status 1
