git branch -a --color=always
status 0
