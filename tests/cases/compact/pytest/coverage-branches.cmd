pytest --cov=werkzeug --cov-branch tests
status 1
