git commit -am "move things about"
status 0
