grep -rn -A3 'class Shelf' lib
status 0
