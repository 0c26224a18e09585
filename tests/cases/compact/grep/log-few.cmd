grep -nE 'WARN|ERROR' orders.log
status 0
