git diff --color-words --color=always
status 0
