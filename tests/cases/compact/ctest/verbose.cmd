ctest --test-dir b -V -R 'ring_(6|7)'
status 8
