find web/src/components/button -ls
status 0
