git push origin main
status 1
