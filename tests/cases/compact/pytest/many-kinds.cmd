pytest
status 1
