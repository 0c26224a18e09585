find . -name '*.py' -path './[a-kA-K]*'
status 0
