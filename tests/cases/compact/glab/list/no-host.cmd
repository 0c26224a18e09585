glab mr list
status 1
not recorded: glab cannot be had here
