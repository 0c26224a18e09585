python -m pip install requests tomli --progress-bar on
status 0
