npx cspell 'docs/*.md' 'css/*.css'
status 1
