pytest --nosuchoption
status 4
