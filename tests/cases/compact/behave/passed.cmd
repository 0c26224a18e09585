behave features-good
status 0
