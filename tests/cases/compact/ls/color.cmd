ls -la --color=always docs
status 0
