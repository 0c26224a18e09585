prove -l t/04-exception.t t/05-v0.t
status 1
