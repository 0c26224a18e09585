shellcheck good.sh
status 0
