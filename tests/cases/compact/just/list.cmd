just --list
status 0
