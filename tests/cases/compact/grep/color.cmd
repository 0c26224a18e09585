grep -rn --color=always TODO src/app/models src/app/views
status 0
