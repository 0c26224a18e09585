pytest -q -p no:cacheprovider tests/test_warn.py::test_w
status 0
