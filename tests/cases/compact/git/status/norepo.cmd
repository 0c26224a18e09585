git -C /srv status
status 128
