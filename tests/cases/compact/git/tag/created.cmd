git tag v3.0
status 0
