docker pull registry.invalid/nosuch:1
status 1
