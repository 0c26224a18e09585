cmake -S broken -B bb
status 1
