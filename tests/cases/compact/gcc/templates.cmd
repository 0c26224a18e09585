g++ -std=c++17 -c tmpl.cpp
status 1
