git show --color=always HEAD~2
status 0
