pytest -o log_cli=true -o log_cli_level=INFO -s --tb=no
status 1
