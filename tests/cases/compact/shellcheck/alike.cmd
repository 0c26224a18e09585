shellcheck bad.sh bad1.sh bad2.sh good.sh
status 1
