ls -lah /usr/share/git-core/templates/hooks
status 0
