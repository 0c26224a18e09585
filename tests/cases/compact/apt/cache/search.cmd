apt-cache search shellcheck
status 0
