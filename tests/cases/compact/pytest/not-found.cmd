pytest -p no:cacheprovider tests/test_ok.py::test_nosuch
status 4
