git diff -- src
status 0
