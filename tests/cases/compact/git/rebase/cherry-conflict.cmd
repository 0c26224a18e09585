git cherry-pick feature~2
status 1
