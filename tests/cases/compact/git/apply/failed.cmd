git apply ../all.patch
status 1
