git apply nosuch.patch
status 128
