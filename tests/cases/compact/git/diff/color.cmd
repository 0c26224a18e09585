git diff --color=always -- src/core/mod_1.py src/core/mod_2.py src/core/mod_3.py
status 0
