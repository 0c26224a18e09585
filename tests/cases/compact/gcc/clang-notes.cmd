clang++ -std=c++17 -Wall -Wextra -c shapes.cpp
status 1
