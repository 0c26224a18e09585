git log --first-parent --decorate=full
status 0
