cargo tree -i serde_core
status 0
