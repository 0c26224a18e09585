prove --timer -l ok t/01-item.t t/02-die.t
status 1
