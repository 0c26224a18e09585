journalctl -u shop --since nonsense
status 1
