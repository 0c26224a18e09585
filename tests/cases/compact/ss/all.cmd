ss -tan
status 0
