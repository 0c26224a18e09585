rg -l TODO
status 0
