pytest -q --tb=no alike
status 1
