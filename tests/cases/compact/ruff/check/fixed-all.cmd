ruff check --fix --select F,I pkg
status 1
