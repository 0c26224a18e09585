pytest -s tests/test_account.py -k 'transfer or negative'
status 1
