cargo remove anyhow
status 0
