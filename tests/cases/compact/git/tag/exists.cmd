git tag v1.0
status 128
