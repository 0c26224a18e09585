ctest --test-dir b -E fails
status 0
