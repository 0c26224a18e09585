git add README.md
status 128
