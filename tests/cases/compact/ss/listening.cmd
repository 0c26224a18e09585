ss -tlnp
status 0
