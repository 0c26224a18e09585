git log --stat
status 0
Written by hand: a history with commits of three time zones.
