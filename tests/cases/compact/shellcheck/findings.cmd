shellcheck bad.sh
status 1
