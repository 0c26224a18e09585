pytest --color=yes -p no:cacheprovider
status 1
