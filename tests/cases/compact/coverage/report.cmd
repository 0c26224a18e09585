coverage report --include 'shop/*,tests/*,good/*'
status 0
