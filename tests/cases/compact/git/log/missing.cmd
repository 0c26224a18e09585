git log nosuchbranch
status 128
