ls -la /usr/share/vim/vim90/syntax
status 0
