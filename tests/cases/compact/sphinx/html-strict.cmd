sphinx-build -W --keep-going -b html docs out
status 1
