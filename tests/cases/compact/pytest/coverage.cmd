pytest --cov=calc --cov-report=term-missing -p no:cacheprovider tests/test_ok.py tests/test_bad.py::test_deep
status 1
