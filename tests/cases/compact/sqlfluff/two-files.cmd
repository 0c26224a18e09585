sqlfluff lint --dialect ansi q.sql q2.sql
status 1
