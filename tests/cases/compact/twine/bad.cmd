twine check wrong/*
status 1
