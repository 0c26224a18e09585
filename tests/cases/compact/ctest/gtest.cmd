ctest --test-dir gt/b --output-on-failure
status 8
