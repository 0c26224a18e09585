git -c color.status=always status
status 0
