black --check src
status 1
