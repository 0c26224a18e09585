glab mr list
status 0
not recorded: glab cannot be had here
