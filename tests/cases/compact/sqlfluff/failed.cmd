sqlfluff lint --dialect ansi q.sql
status 1
