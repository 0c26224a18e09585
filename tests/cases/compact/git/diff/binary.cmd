git diff HEAD -- logo.png READ.md README.md
status 0
