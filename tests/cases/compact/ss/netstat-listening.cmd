netstat -tlnp
status 0
