grep -n 'WARN\|ERROR' app.log
status 0
