find web/src/hooks -name 'use1*' -print0
status 0
