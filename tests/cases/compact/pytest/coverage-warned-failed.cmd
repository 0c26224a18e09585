pytest --cov=shop --cov-report=term-missing warned
status 1
