pytest -q --cov=werkzeug --cov-report=term-missing tests -k 'not missing'
status 0
