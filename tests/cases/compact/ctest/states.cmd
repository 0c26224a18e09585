ctest --test-dir b --output-on-failure -j2
status 8
