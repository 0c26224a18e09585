poetry install
status 0
not recorded: Poetry installs nothing from the server of packages that recordings are made with
