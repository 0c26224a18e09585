npx prettier -l src css
status 2
