codespell good
status 0
