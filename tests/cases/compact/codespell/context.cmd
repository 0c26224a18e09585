codespell -C 1 docs
status 65
