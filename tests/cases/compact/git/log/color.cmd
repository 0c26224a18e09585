git log --color=always -6
status 0
