git fsck
status 20
