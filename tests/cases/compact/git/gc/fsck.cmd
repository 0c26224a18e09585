git fsck --verbose
status 0
