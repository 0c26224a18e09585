git commit --amend -m "a better message"
status 0
