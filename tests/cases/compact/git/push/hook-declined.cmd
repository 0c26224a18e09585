git push --force origin main
status 1
