git commit -m "resolved?"
status 128
