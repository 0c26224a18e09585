git submodule add /nonexistent/x x
status 128
