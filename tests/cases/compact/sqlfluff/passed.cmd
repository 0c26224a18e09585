sqlfluff lint --dialect ansi ok.sql
status 0
