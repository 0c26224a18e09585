git push -u origin main
status 0
