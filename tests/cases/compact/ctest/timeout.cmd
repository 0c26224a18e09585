ctest --test-dir b --output-on-failure
status 8
