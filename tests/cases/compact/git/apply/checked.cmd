git apply --stat --apply ../all.patch
status 0
