pytest -p no:cacheprovider --doctest-modules doc.py
status 1
