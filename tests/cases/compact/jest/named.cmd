npx jest -t adds
status 0
