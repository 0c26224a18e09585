ctest --test-dir nb
status 8
