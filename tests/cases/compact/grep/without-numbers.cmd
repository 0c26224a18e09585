grep -r --include=*.py 'import ' json email/mime
status 0
