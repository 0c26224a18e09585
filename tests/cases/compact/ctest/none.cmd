ctest --test-dir b -R nosuch
status 0
