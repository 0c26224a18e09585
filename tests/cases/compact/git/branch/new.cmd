git branch topic-x
status 0
