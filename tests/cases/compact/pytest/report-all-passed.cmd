pytest -rA -k 'many or upper or total'
status 0
