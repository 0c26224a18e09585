git commit --allow-empty -m ""
status 1
