pytest --cov=shop --cov-report=term-missing warned -k gross
status 0
